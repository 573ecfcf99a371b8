import type { NoInput } from '../accounts/schema.ts'
import { agentNames, type MachineList, type ReportAgents, type ReportedAgents } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { SettingsStores } from './store.ts'

const maxMachines = 20
const knownAgents: ReadonlySet<string> = new Set(agentNames)

/** Replaces the report of a machine on its agents. Ignores unknown agents and returns their names. */
export async function reportAgents(
  ctx: Call & TelemetrySettings & SettingsStores,
  input: ReportAgents,
): Promise<ReportedAgents> {
  const { machineId, agents } = input
  const agentsByName = new Map(agents.filter(({ name }) => knownAgents.has(name)).map((agent) => [agent.name, agent]))
  const telemetry = ctx.clientTelemetry
  await ctx.settings.saveMachine(
    ctx.actor.id,
    {
      machineId,
      hostname: telemetry ? (input.hostname ?? null) : null,
      os: telemetry ? (input.os ?? null) : null,
      cliVersion: input.cliVersion ?? null,
      lastSeenAt: ctx.now(),
      agents: [...agentsByName.values()].map((agent) => ({ ...agent, installType: agent.installType ?? null })),
    },
    maxMachines,
  )
  const ignoredAgents = [...new Set(agents.map(({ name }) => name))].filter((name) => !knownAgents.has(name))
  return { ok: true, machineId, agentCount: agentsByName.size, ignoredAgents }
}

/** The account's machines, most recently seen first. */
export async function listMachines(ctx: Call & SettingsStores & TelemetrySettings, _: NoInput): Promise<MachineList> {
  const machines = await ctx.settings.listMachines(ctx.actor.id)
  const presented = machines.map((machine) => ({
    ...machine,
    // Also hides what was reported before telemetry was switched off.
    ...(ctx.clientTelemetry ? {} : { hostname: null, os: null }),
    lastSeenAt: machine.lastSeenAt.toISOString(),
  }))
  return { machines: presented }
}

export interface TelemetrySettings {
  clientTelemetry: boolean
}
