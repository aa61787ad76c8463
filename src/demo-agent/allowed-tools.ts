// Names that `--allowed-tools` takes. Source: the parser of 2026.10.01 (the form and seven
// of them) and Cursor's protobuf definitions (the kinds, in camel case).
// Assumed: the rest of the about 69 are the kinds in snake case; a probe with a bad value prints the real list.
const KINDS = [
  'shell read edit write delete glob grep ls read_lints update_todos read_todos task mcp get_mcp_tools',
  'list_mcp_resources read_mcp_resource mcp_auth sem_search web_search web_fetch fetch create_plan switch_mode',
  'ask_question generate_image write_shell_stdin apply_agent_diff await reflect record_screen computer_use',
  'report_bugfix_results truncated blame_by_file_path send_message create_agent',
]

export const TOOL_NAMES: readonly string[] = KINDS.flatMap((line) =>
  line.split(' ').map((kind) => `${kind}_tool_call`),
)

export function unknownTools(names: readonly string[]): readonly string[] {
  return names.filter((name) => !TOOL_NAMES.includes(name))
}
