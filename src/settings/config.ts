import type { NoInput } from '../accounts/schema.ts'
import type { Context } from '../core/context.ts'
import type { Config, ConfigVersion, SwitchAgent, SwitchedAgent, UpdateConfig } from './schema.ts'

/** The settings of the caller's agents; what is unset is left out. */
export async function getConfig(ctx: Context, _: NoInput): Promise<Config> {
  const { skill, version } = await ctx.settings.get(ctx.actor.id)
  return { config: { skill }, configVersion: version }
}

/** Changes settings; what is not given stays. */
export async function updateConfig(ctx: Context, input: UpdateConfig): Promise<ConfigVersion> {
  const { version } = await ctx.settings.update(ctx.actor.id, input)
  return { configVersion: version }
}

/** Switches an agent off or on, on every machine of the account. Repeating it changes nothing. */
export async function switchAgent(ctx: Context, { op, agent }: SwitchAgent): Promise<SwitchedAgent> {
  const { settings, changed } = await ctx.settings.setAgent(ctx.actor.id, agent, op === 'enable')
  return { disabled: settings.disabledAgents, configVersion: settings.version, changed }
}
