import { type Command, Help, type Option } from "commander"

/** Option that shows every setting. */
export const allFlag = "--help-all"

/** Options that the help says in its last line, or that go without saying. */
const unlisted: ReadonlySet<string> = new Set(["--help", "--version"])

/** Commands whose help is complete, because `--help-all` was given. */
const whole = new WeakSet<Command>()

/** The first sentence is enough next to a name. */
const toSummary = (command: Command): string =>
  command.summary() ||
  command
    .description()
    .replace(/(?<=\.) .*|\.$/gs, "")
    .replace(/\.$/, "")

const isShown = (command: Command, option: Option): boolean =>
  whole.has(command) ? option.long !== "--help-all" : !option.hidden && !unlisted.has(option.long ?? "")

/**
 * Lets the help of a command fit on a screen: examples first, one line for each entry, and no names of variables,
 * which follow from those of the options.
 */
export const arrangeHelp = (command: Command): void => {
  const help = new Help()
  command.configureHelp({
    visibleCommands: (of) => help.visibleCommands(of).filter((one) => one.name() !== "help"),
    subcommandTerm: (one) =>
      [one.name(), ...one.registeredArguments.flatMap((each) => (each.required ? `<${each.name()}>` : []))].join(" "),
    subcommandDescription: toSummary,
    visibleOptions: (of) => of.options.filter((option) => isShown(of, option)),
    // Of all commands together it says nothing that their names do not, and they have to fit on the screen.
    commandDescription: (of) => (of.parent === null && of.commands.length > 0 ? "" : help.commandDescription(of)),
    optionDescription: (option) => {
      if (whole.has(command)) return help.optionDescription(option)
      const initial = option.defaultValueDescription ?? option.defaultValue
      return initial === undefined ? option.description : `${option.description} (default: ${initial})`
    },
  })
}

/**
 * Adds the default verb of a command. The default verb's options are not part of the command's own help, which says
 * where they are.
 */
export const addDefaultVerb = (command: Command, verb: Command): Command =>
  command
    .addCommand(verb, { isDefault: true })
    .addHelpText(
      "after",
      `\nWithout a command: ${verb.name()}. Options: sluice ${command.name()} ${verb.name()} --help`,
    )

/** Gives a command with many settings a help with the most important ones, and `--help-all` for all. */
export const addHelpAll = (command: Command, first: ReadonlySet<string>): Command => {
  for (const option of command.options) option.hideHelp(!first.has(option.attributeName()))
  return command.option(allFlag, "every setting, with its variable").on("option:help-all", () => {
    whole.add(command)
    command.help()
  })
}
