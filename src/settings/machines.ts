import type { NoInput } from '../accounts/schema.ts'
import { agentNames, type MachineList, type ReportAgents, type ReportedAgents } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { SettingsStores } from './store.ts'

const keptMachines = 20
const known: ReadonlySet<string> = new Set(agentNames)

/** Takes what a machine reports of its agents in place of its earlier report; unknown agents are left out and named. */
export async function reportAgents(
  ctx: Call & TelemetrySettings & SettingsStores,
  input: ReportAgents,
): Promise<ReportedAgents> {
  const { machineId, agents } = input
  const kept = new Map(agents.filter(({ name }) => known.has(name)).map((agent) => [agent.name, agent]))
  const telemetry = ctx.clientTelemetry
  await ctx.settings.saveMachine(
    ctx.actor.id,
    {
      machineId,
      hostname: telemetry ? (input.hostname ?? null) : null,
      os: telemetry ? (input.os ?? null) : null,
      cliVersion: input.cliVersion ?? null,
      lastSeenAt: ctx.now(),
      agents: [...kept.values()].map((agent) => ({ ...agent, installType: agent.installType ?? null })),
    },
    keptMachines,
  )
  const ignoredAgents = [...new Set(agents.map(({ name }) => name))].filter((name) => !known.has(name))
  return { ok: true, machineId, agentCount: kept.size, ignoredAgents }
}

/** The machines that report agents of the account, most recently seen first. */
export async function listMachines(ctx: Call & SettingsStores & TelemetrySettings, _: NoInput): Promise<MachineList> {
  const machines = await ctx.settings.machines(ctx.actor.id)
  const shown = machines.map((machine) => ({
    ...machine,
    // What was reported before telemetry was switched off is not shown either.
    ...(ctx.clientTelemetry ? {} : { hostname: null, os: null }),
    lastSeenAt: machine.lastSeenAt.toISOString(),
  }))
  return { machines: shown }
}

export interface TelemetrySettings {
  clientTelemetry: boolean
}
