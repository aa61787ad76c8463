#!/usr/bin/env node
// Entry of the demo agent, our stand-in for Cursor's CLI.

const argv = process.argv.slice(2)
// Print mode's modules are read beside the others, not after them: that halves the time to the first check.
const isPrint = argv.includes('-p') || argv.includes('--print')
const loaded = Promise.all([import('./start.ts'), isPrint ? import('./print.ts') : undefined])
const [{ start }] = await loaded
await start(argv, process.env)
