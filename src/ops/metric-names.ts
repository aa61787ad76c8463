// Every metric of ours by name (without its prefix) with its help text. Dashboards and tests go by this table.
export const METRIC_PREFIX = 'cursor_adapter_'

export const METRICS = {
  first_token_seconds: 'Request complete to first content byte handed to the socket.',
  proxy_overhead_seconds:
    'Our own time: accept = parse to job, dispatch = slot granted to prompt written without the launch, relay = event read from the agent to bytes handed to the socket.',
  agent_first_event_seconds: 'Prompt written to the first event of the agent.',
  launch_seconds: 'Start of an agent process until it can take a prompt.',
  queue_wait_seconds: 'Submitted to slot granted.',
  run_seconds: 'Whole runs, by how they ended.',
  runs_total: 'Runs that ended.',
  runs_active: 'Runs that hold a slot now.',
  queue_depth: 'Requests that wait for a slot now.',
  children: 'Agent processes now, by state.',
  warm_starts_total: 'Runs that found a warm agent (hit) or had to launch one (miss).',
  child_exits_total: 'Agent processes that ended, by first cause.',
  kills_total: 'Signals sent to agent process groups.',
  orphans_reaped_total: 'Process groups of an earlier, killed service ended at start.',
  tokens_total: "Tokens, by kind, from Cursor's own figures or by our estimate.",
  tool_calls_total: 'Tool calls, by tool and by who ran it.',
  parked_calls: 'Runs that wait for tool results of their client now.',
  sessions: 'Conversations remembered now.',
  session_turns_total: 'Turns of conversations, by how they got their agent.',
  retries_total: 'Repeated requests, by what was done with them.',
  unknown_events_total: 'Things in agent output that were not understood.',
  scratch_path_violations_total: 'Client tool calls that named our scratch folder.',
  scratch_path_corrections_total: 'Corrections given to the agent for such calls.',
  http_requests_total: 'HTTP requests answered, by route and status.',
  build_info: 'Versions, as labels; the value is always 1.',
} as const
export type MetricName = keyof typeof METRICS

/** Seconds. Waiting for an agent: from 5 ms (warm) to 2 min. */
export const WAIT_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120,
]
/** Seconds. Our own work: from 0.1 ms. */
export const OVERHEAD_BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
]
/** Seconds. The queue is mostly empty, so its first bucket is a fast grant. */
export const QUEUE_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 15, 30, 60, 100,
]
/** Seconds. Whole runs: a short answer to an hour's work. */
export const RUN_BUCKETS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1800, 3600,
]
