import { z } from 'zod'
import { Count, Timestamp } from '../core/field-types.ts'
import { nameSchema, noteSchema } from '../core/schema-notes.ts'

const planModes = ['always', 'smart', 'ask', 'off'] as const
const onOff = ['on', 'off'] as const

/** The names of agents that can be switched and reported (contract, Account and settings). */
export const agentNames = ['claude-code', 'cursor', 'github-copilot', 'gemini-cli', 'codex', 'grok'] as const
export type AgentName = (typeof agentNames)[number]

export const Config = z.object({
  config: z.object({
    skill: z.object({ planMode: z.enum(planModes).optional(), citationBlock: z.enum(onOff).optional() }),
  }),
  configVersion: Count,
})
export type Config = z.infer<typeof Config>
nameSchema(Config, 'Settings', 'The settings of coding agents, without those that are not set.')

export const UpdateConfig = z.strictObject({
  planMode: z.enum(planModes).optional(),
  citationBlock: z.enum(onOff).optional(),
})
export type UpdateConfig = z.infer<typeof UpdateConfig>

export const ConfigVersion = z.object({ configVersion: Count })
export type ConfigVersion = z.infer<typeof ConfigVersion>

const unknownAgent = {
  error: `agent is unknown. Supported: ${agentNames.join(', ')}`,
  params: { errorCode: 'UNKNOWN_AGENT' },
}

export const SwitchAgent = z.object({
  op: z.enum(['disable', 'enable']),
  agent: noteSchema(z.string(), { enum: [...agentNames] }).refine(
    (name): name is AgentName => (agentNames as readonly string[]).includes(name),
    unknownAgent,
  ),
})
export type SwitchAgent = z.infer<typeof SwitchAgent>

export const SwitchedAgent = z.object({ disabled: z.array(z.string()), configVersion: Count, changed: z.boolean() })
export type SwitchedAgent = z.infer<typeof SwitchedAgent>

const installTypes = ['skill', 'plugin+skill', 'codex bundle'] as const
const operatingSystems = ['macos', 'linux', 'windows'] as const

export const ReportAgents = z.object({
  machineId: z.string().min(8).max(64),
  hostname: z.string().max(255).nullish(),
  os: z.enum(operatingSystems).nullish(),
  cliVersion: z.string().max(40).nullish(),
  agents: z
    .array(
      z.object({
        name: z.string().min(1).max(40),
        detected: z.boolean(),
        installed: z.boolean(),
        installType: z.enum(installTypes).nullish(),
      }),
    )
    .max(14),
})
export type ReportAgents = z.infer<typeof ReportAgents>

export const ReportedAgents = z.object({
  ok: z.literal(true),
  machineId: z.string(),
  agentCount: Count,
  ignoredAgents: z.array(z.string()),
})
export type ReportedAgents = z.infer<typeof ReportedAgents>

const InstalledAgent = z.object({
  name: z.string(),
  detected: z.boolean(),
  installed: z.boolean(),
  installType: z.enum(installTypes).nullable(),
})
nameSchema(InstalledAgent, 'InstalledAgent', 'A coding agent on a machine.')

const Machine = z.object({
  machineId: z.string(),
  hostname: z.string().nullable(),
  os: z.enum(operatingSystems).nullable(),
  cliVersion: z.string().nullable(),
  lastSeenAt: Timestamp,
  agents: z.array(InstalledAgent),
})
nameSchema(Machine, 'Machine', 'A machine that reported its coding agents.')

export const MachineList = z.object({ machines: z.array(Machine) })
export type MachineList = z.infer<typeof MachineList>
