// Skills that clients advertise without having a file for them: our own text, written for Cursor's agent. Pure data.
// The last place that is looked at: a skill of the same name in a project or a user's folder comes first.

const SIMPLIFY = `---
name: simplify
description: Make changed code simpler without changing what it does, then apply the improvements.
argument-hint: "[files or folders]"
---
Make the code simpler to read and to change. What it does must stay the same.

1. Find the scope. Files or folders named in the request are the scope. Otherwise it is what changed: \`git diff HEAD\`, and
   if that is empty, the last commit. Glob for a name that is not where you expect it. Read every file of the scope in
   full, and whatever you need of its callers and tests.
2. Look from three sides. With more than about 100 lines in scope, start three sub-agents at once in a single turn, one
   per side, each with the list of files and the order to report findings as \`file:line, what, simpler form\` and to edit
   nothing. With less, look yourself.
   - Reuse: is there already a function, type or constant in this code base (or the standard library) for it?
   - Quality: variables that only pass a value on, dead code, copies with small differences, deep nesting, flags that
     could be derived, names that mislead, comments that repeat the code.
   - Efficiency: work done twice, reads and requests in a loop, independent waits one after the other.
3. Apply. Drop findings that would change behaviour, public names or files outside the scope, and those you are not sure
   of. Make the rest as small edits, in the style of the file. Add no abstraction with a single user.
4. Check. Look at the linter's messages for the files you touched, and run the tests for them where the project makes
   that easy and you are allowed to. Undo what breaks something.
5. Report in a few lines: what became simpler and why, and what you left alone on purpose. If the code was already
   simple, say so and change nothing.
`

const REVIEW = `---
name: review
description: Review a change and report what must be fixed, without editing anything.
argument-hint: "[pull request, branch, commit or files]"
---
Review a change as a careful colleague would. Edit nothing.

1. Find the change. A pull request number: \`gh pr view\` and \`gh pr diff\`. A branch or commit: its diff against the main
   branch. Files: those files. Nothing named: \`git diff HEAD\`, or the branch against the main branch if that is empty.
2. Understand the intent from titles, messages and tests before you judge. Read the changed files in full, not only the
   diff, and the callers of what changed.
3. Look for, in this order: wrong results and broken cases (empty, null, many, concurrent, failing calls); data that gets
   lost or mixed; security holes; changes of behaviour that nobody announced; missing or meaningless tests; then clarity.
4. Prove each finding: name the input or the sequence that goes wrong. Leave out what you cannot show, what a formatter
   would do, and matters of taste.
5. Report, worst first: \`file:line\`, one sentence on what goes wrong and when, and the smallest fix. End with one line:
   ready, ready after the named fixes, or not ready. If there is nothing to report, say so in one line.
`

const SECURITY_REVIEW = `---
name: security-review
description: Look for exploitable weaknesses in the pending changes, without editing anything.
argument-hint: "[branch, commit or files]"
---
Look for weaknesses that somebody could exploit and that this change brings in. Edit nothing and run no exploit.

1. Find the change: what the request names, else \`git diff\` of the branch against the main branch together with what is
   not committed. Weaknesses that were there before are mentioned at most in one line.
2. Follow the data. For every changed place list where its input comes from and who controls it: requests, files, other
   services, environment, models. Follow it to where it acts: queries, commands, paths, templates, deserialisers,
   outgoing requests, logs.
3. Check: injection of any kind; missing or wrong checks of identity and permission; paths that leave their folder; links
   that are followed; secrets in code, logs, errors or process arguments; weak or home-made cryptography; requests that
   can be sent to inner addresses; unsafe deserialisation; races between check and use; cross-site scripting; new or
   changed dependencies and build steps that run foreign code.
4. Report only what you would defend: who the attacker is, which input they send, what they gain, at \`file:line\`. No
   denial of service by mere volume, no missing hardening without an attack, nothing that only a trusted administrator
   can reach.
5. Order: high (code execution, data of others, bypassed login), medium (needs a condition), and stop there. For each:
   \`file:line\`, the attack in two sentences, the fix. If you found none, say so and name what you checked.
`

const INIT = `---
name: init
description: Write or improve the instruction file that coding agents read in this project.
---
Write the file that tells a coding agent how to work in this project. It is \`CLAUDE.md\` in the root, unless the project
already has an \`AGENTS.md\`: then improve that one. Never keep both with the same text.

1. Read first: README, build and package files, CI configuration, linter and formatter settings, existing instruction
   files (\`AGENTS.md\`, \`CLAUDE.md\`, \`.cursor/rules\`, \`.github/copilot-instructions.md\`), and enough source to see
   how the parts fit.
2. Write what an agent cannot see at a glance and needs every day:
   - the commands: install, build, run, lint, all tests, one single test; only those you found in the project's own files;
   - the architecture in a few paragraphs: the main parts, how a request or a job passes through them, where to change what;
   - rules that differ from habit: naming, error handling, what must not be edited, generated files, required checks.
3. Leave out: lists of every file, general advice on programming, anything you did not verify, secrets.
4. If the file exists, keep what is right, correct what is wrong, and say in your answer what changed. Stay below about
   100 lines.
`

/** SKILL.md texts by name. */
export const BUNDLED_SKILLS: ReadonlyMap<string, string> = new Map([
  ['simplify', SIMPLIFY],
  ['review', REVIEW],
  ['security-review', SECURITY_REVIEW],
  ['init', INIT],
])
