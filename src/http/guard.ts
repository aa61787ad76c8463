// Who may speak to us: local host names, no foreign web page, and the access key where one is set.
import { createHash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '../core/failure.ts'
import { isToolsPath } from './paths.ts'
import type { GuardSettings } from './services.ts'

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']
const WILDCARDS = ['0.0.0.0', '::', '[::]']
const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/i

export interface Guard {
  /** @throws Refusal `forbidden` for a foreign Host or Origin, `unauthorized` where the key is wanted and wrong. */
  check(path: string, host: string, headers: Headers): void
}

/** Compiles the settings once; `check` is then a few set look-ups. */
export function makeGuard(
  settings: Pick<GuardSettings, 'apiKey' | 'allowedHosts' | 'host'>,
): Guard {
  const names = new Set(
    [...LOCAL_NAMES, bracketed(settings.host), ...settings.allowedHosts.map(hostName)].map((name) =>
      name.toLowerCase(),
    ),
  )
  // Bound to every address, the service is called by any of them. A numeric host is no rebound DNS name.
  const anyAddress = WILDCARDS.includes(settings.host)
  const known = (host: string): boolean => {
    const name = hostName(host)
    return names.has(name) || (anyAddress && IP_LITERAL.test(name))
  }
  const keyDigest = settings.apiKey === undefined ? undefined : digest(settings.apiKey)
  return {
    check(path, host, headers) {
      if (!known(host)) throw foreignHost(host)
      const origin = headers.get('origin')
      if (origin !== null && !isLocalOrigin(origin, known)) throw foreignOrigin(origin)
      // The token in the path is that endpoint's key.
      if (keyDigest === undefined || path === '/health' || isToolsPath(path)) return
      if (!keysOf(headers).some((key) => timingSafeEqual(digest(key), keyDigest))) {
        throw new Refusal(
          'unauthorized',
          'This cursor-adapter needs its access key (setting api_key): send it as "Authorization: Bearer KEY" or "x-api-key: KEY".',
        )
      }
    },
  }
}

/** Digest of the credential a client sent, in whichever header; '' for none. Tells clients apart, proves nothing. */
export function credentialDigest(headers: Headers): string {
  const key = keysOf(headers)[0] ?? headers.get('authorization')
  return key === null || key === '' ? '' : digest(key).toString('hex')
}

function keysOf(headers: Headers): readonly string[] {
  const bearer = /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1]?.trim()
  return [bearer, headers.get('x-api-key')?.trim()].flatMap((key) =>
    key === undefined || key === '' ? [] : [key],
  )
}

/** Digests are of one length whatever was sent, so that comparing them tells nothing about the key. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** `host:port` → `host`, lower case; IPv6 literals keep their brackets. */
function hostName(host: string): string {
  return bracketed(host.trim()).toLowerCase().replace(/:\d*$/, '')
}

/** A bare IPv6 address as it stands in a Host header. */
function bracketed(host: string): string {
  return !host.startsWith('[') && host.split(':').length > 2 ? `[${host}]` : host
}

/** A page of a local web server may speak to us; browsers are never told that anybody may read (no CORS headers). */
function isLocalOrigin(origin: string, known: (host: string) => boolean): boolean {
  const host = /^https?:\/\/([^/?#@\\]+)$/i.exec(origin)?.[1]
  return host !== undefined && known(host)
}

function foreignHost(host: string): Refusal {
  return new Refusal(
    'forbidden',
    `Host ${shown(host)} is not a local name; the setting allowed_hosts adds names by which this service may be called.`,
  )
}

function foreignOrigin(origin: string): Refusal {
  return new Refusal('forbidden', `Requests from web pages of ${shown(origin)} are refused.`)
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
