// Ids as the CLI makes them. Not from node:crypto: loading it costs more than the rest of the start.

/** A version 4 UUID; unique enough for a demo, not for secrets. */
export function uuid(): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16))
  digits[12] = 4
  digits[16] = 8 + ((digits[16] ?? 0) % 4)
  const hex = digits.map((digit) => digit.toString(16)).join('')
  return [8, 13, 18, 23].reduce((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, hex)
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text)
}

/** Source: facts 2.5 and 2.6, `<request id>-0-<4 characters>`. */
export function modelCallId(requestId: string): string {
  return `${requestId}-0-${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`
}

/** Source: facts 2.6, the id really contains a newline. */
export function toolCallId(): string {
  return `call-${uuid()}-0\nfc_${uuid()}_0`
}
