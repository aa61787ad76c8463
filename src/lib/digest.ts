// Digests of texts that are kept or compared instead of the texts.
import { hash } from 'node:crypto'

/** Hex, 64 characters. In one step: an object per hash costs as much again as hashing a short text (measured). */
export function sha256(text: string): string {
  return hash('sha256', text)
}
