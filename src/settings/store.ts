import type { Collection, Db } from 'mongodb'
import type { MachineList, UpdateConfig } from './schema.ts'

export interface Settings {
  skill: UpdateConfig
  disabledAgents: string[]
  /** Starts at 0 and increases with every change. */
  version: number
}

export interface Machine extends Omit<MachineList['machines'][number], 'lastSeenAt'> {
  lastSeenAt: Date
}

export interface SettingsStore {
  get(accountId: string): Promise<Settings>
  /** Sets the given settings; increases the version only if something changes. */
  update(accountId: string, skill: UpdateConfig): Promise<Settings>
  /** Switches an agent off or on; `changed` is false if it was switched so already. */
  setAgentEnabled(accountId: string, agent: string, enabled: boolean): Promise<{ settings: Settings; changed: boolean }>
  /** Replaces the report of a machine, and removes all but the `maxMachines` most recently seen machines. */
  saveMachine(accountId: string, machine: Machine, maxMachines: number): Promise<void>
  /** The account's machines, most recently seen first. */
  listMachines(accountId: string): Promise<Machine[]>
  /** Removes the settings and machines of an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface SettingsStores {
  settings: SettingsStore
}

type SettingsRow = Settings & { _id: string }
type MachineRow = Machine & { _id: string; accountId: string }

/** Settings and machines on MongoDB: collections `settings` (one row per account) and `machines`. */
export function createSettingsStore(db: Db): SettingsStore {
  const settings = db.collection<SettingsRow>('settings')
  const machines = db.collection<MachineRow>('machines')
  return {
    ...settingsMethods(settings),
    ...machineMethods(machines),
    async removeAccount(accountId) {
      await settings.deleteOne({ _id: accountId })
      await machines.deleteMany({ accountId })
    },
  }
}

const defaultSettings: Settings = { skill: {}, disabledAgents: [], version: 0 }

function settingsMethods(settings: Collection<SettingsRow>) {
  const get = async (accountId: string): Promise<Settings> => {
    const row = await settings.findOne({ _id: accountId })
    return row ? { skill: row.skill, disabledAgents: row.disabledAgents, version: row.version } : defaultSettings
  }
  const ensureRow = (accountId: string) =>
    settings.updateOne({ _id: accountId }, { $setOnInsert: defaultSettings }, { upsert: true })
  return {
    get,
    async update(accountId: string, skill: UpdateConfig) {
      const changes = Object.entries(skill).filter(([, value]) => value !== undefined)
      if (changes.length > 0) {
        await ensureRow(accountId)
        const differs = changes.map(([name, value]) => ({ [`skill.${name}`]: { $ne: value } }))
        const change = Object.fromEntries(changes.map(([name, value]) => [`skill.${name}`, value]))
        await settings.updateOne({ _id: accountId, $or: differs }, { $set: change, $inc: { version: 1 } })
      }
      return get(accountId)
    },
    async setAgentEnabled(accountId: string, agent: string, enabled: boolean) {
      await ensureRow(accountId)
      const { modifiedCount } = enabled
        ? await settings.updateOne(
            { _id: accountId, disabledAgents: agent },
            { $pull: { disabledAgents: agent }, $inc: { version: 1 } },
          )
        : await settings.updateOne(
            { _id: accountId, disabledAgents: { $ne: agent } },
            { $push: { disabledAgents: agent }, $inc: { version: 1 } },
          )
      return { settings: await get(accountId), changed: modifiedCount === 1 }
    },
  }
}

function machineMethods(machines: Collection<MachineRow>) {
  return {
    async saveMachine(accountId: string, machine: Machine, maxMachines: number) {
      const _id = `${accountId}:${machine.machineId}`
      await machines.replaceOne({ _id }, { accountId, ...machine }, { upsert: true })
      const surplus = await machines
        .find({ accountId }, { projection: { _id: 1 } })
        .sort({ lastSeenAt: -1 })
        .skip(maxMachines)
        .toArray()
      if (surplus.length > 0) await machines.deleteMany({ _id: { $in: surplus.map((row) => row._id) } })
    },
    async listMachines(accountId: string) {
      const rows = await machines.find({ accountId }).sort({ lastSeenAt: -1 }).toArray()
      return rows.map(({ _id, accountId: _, ...machine }) => machine)
    },
  }
}
