// What is known not to work yet, each with its cause. The suite plays it all the same, and says when it works.

interface KnownFault {
  readonly client: RegExp
  readonly scenario: string
  readonly cause: string
}

const KNOWN_FAULTS: readonly KnownFault[] = []

/** The cause, or undefined where nothing is known. */
export const knownFault = (client: string, scenario: string): string | undefined =>
  KNOWN_FAULTS.find((fault) => fault.client.test(client) && fault.scenario === scenario)?.cause
