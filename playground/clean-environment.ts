/** The environment without settings of other Sluice apps: the playground's token is that of its own data folder. */
export const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_")))
