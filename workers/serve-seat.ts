// Connects a seat to its thread: opens the seat's own port, says hello, hands messages over.
import { MessageChannel, parentPort, threadId } from 'node:worker_threads'
import type { Backend, WorkerSettings } from '../src/backends/backend.ts'
import { removeFolders } from '../src/backends/launch.ts'
import type { LaunchProfile } from '../src/core/job.ts'
import type { FromWorker, RunReport, RunTask, SeatHello, ToWorker } from '../src/pool/messages.ts'
import { SeatWorker } from './seat.ts'

/** Starts the seat of this thread and returns the handler piscina calls for every attempt of a run. */
export function serveSeat(
  settings: WorkerSettings,
  backendFor: (profile: LaunchProfile) => Backend,
): (task: RunTask) => Promise<RunReport> {
  const { port1: ours, port2: theirs } = new MessageChannel()
  const post = (message: FromWorker): void => ours.postMessage(message)
  const seat = new SeatWorker({ settings, backendFor, post, remove: removeFolders })
  ours.on('message', (message: ToWorker) => seat.obey(message))
  const hello: SeatHello = { type: 'seat', threadId, port: theirs }
  // Once this module is loaded: a thread that is terminated before takes the whole process down (measured: Node 20.20,
  // an assertion in CreateRequiredModuleFacade), and the pool terminates none that has not said hello.
  setImmediate(() => parentPort?.postMessage(hello, [theirs]))
  return (task) => seat.run(task)
}
