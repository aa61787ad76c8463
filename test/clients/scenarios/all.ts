// The scenarios in the order of the table.
import type { Scenario } from '../stage.ts'
import { conversation, question } from './answers.ts'
import { claudesToolsAcp, claudesToolsPrint } from './claudes-tools.ts'
import { editLoopAcp, editLoopPrint } from './edit-loop.ts'
import { brokenOff, cancel, rateLimited } from './interrupted.ts'
import {
  errandRemembered,
  failureAfterEdit,
  failureAfterHiddenEdit,
  nothingTwice,
} from './nothing-twice.ts'
import { startedByRun, withKey, writtenAndUndone } from './set-up.ts'
import { skill } from './skill.ts'
import { thirtyTurnsAcp, thirtyTurnsPrint } from './thirty-turns.ts'
import { refused, stopped } from './tool-interrupted.ts'
import { toolLoop } from './tool-loop.ts'

export const SCENARIOS: readonly Scenario[] = [
  question,
  conversation,
  toolLoop,
  claudesToolsAcp,
  claudesToolsPrint,
  editLoopAcp,
  editLoopPrint,
  refused,
  stopped,
  cancel,
  rateLimited,
  brokenOff,
  nothingTwice,
  errandRemembered,
  failureAfterEdit,
  failureAfterHiddenEdit,
  thirtyTurnsAcp,
  thirtyTurnsPrint,
  skill,
  withKey,
  writtenAndUndone,
  startedByRun,
]
