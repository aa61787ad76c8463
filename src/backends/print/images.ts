// Puts the images of a prompt where the agent can read them: the CLI has no flag for images in print mode.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { PromptImage } from '../../core/job.ts'

/** Writes the images below `folder`, which must be a scratch folder of ours; a name that leads out of it is skipped. */
export async function writeImages(folder: string, images: readonly PromptImage[]): Promise<void> {
  for (const image of images) {
    const path = join(folder, image.name)
    const inside = relative(folder, path)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) continue
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, Buffer.from(image.base64, 'base64'), { mode: 0o600 })
  }
}
