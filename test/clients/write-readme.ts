// `node dist/test/clients/write-readme.js`: puts the set-up per client into the README, as `setup` prints it.
import { writeGuides } from './readme.ts'

writeGuides()
