import { backendContract } from './backend.cases.ts'

backendContract({ name: 'print', skip: {} })
