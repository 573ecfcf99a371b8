import type { NoInput } from '../accounts/schema.ts'
import type { Config, ConfigVersion, SwitchAgent, SwitchedAgent, UpdateConfig } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { SettingsStores } from './store.ts'

/** The settings of the caller's agents; unset ones are omitted. */
export async function getConfig(ctx: Call & SettingsStores, _: NoInput): Promise<Config> {
  const { skill, version } = await ctx.settings.get(ctx.actor.id)
  return { config: { skill }, configVersion: version }
}

/** Changes the given settings. */
export async function updateConfig(ctx: Call & SettingsStores, input: UpdateConfig): Promise<ConfigVersion> {
  const { version } = await ctx.settings.update(ctx.actor.id, input)
  return { configVersion: version }
}

/** Switches an agent off or on, on every machine of the account. Idempotent. */
export async function switchAgent(ctx: Call & SettingsStores, { op, agent }: SwitchAgent): Promise<SwitchedAgent> {
  const { settings, changed } = await ctx.settings.setAgentEnabled(ctx.actor.id, agent, op === 'enable')
  return { disabled: settings.disabledAgents, configVersion: settings.version, changed }
}
