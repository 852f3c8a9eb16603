internal import Usage

/// What the command line asks for.
struct ManualOptions: ProgramOptions {
  private(set) var directory = ""
  private(set) var article = ""
  private(set) var date = ""
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false

  static let usage = ProgramUsage<ManualOptions>(
    "mfad-manual",
    forms: ["--into DIRECTORY --article FILE --date DAY", "--help | --version"],
    summary: "writes the manual of mfad",
    purpose: "Writes the pages of the manual.",
    options: [
      needed("--into", "DIRECTORY", \.directory, "where the pages go"),
      needed("--article", "FILE", \.article, "the article on the configuration, which explains its keys"),
      needed("--date", "DAY", \.date, "the day that the pages bear, as 2026-11-21"),
      .help(\.wantsHelp),
      .version(\.wantsVersion),
    ],
    exitCodes: [(0, "written"), (1, "failed"), (2, "wrong usage")]
  )

  private static func needed(
    _ name: String,
    _ value: String,
    _ place: ProgramOption<Self>.Place<String>,
    _ help: String
  ) -> ProgramOption<Self> {
    ProgramOption(name, takes: value, help) { (options, text) throws(UsageError) in
      options[keyPath: place] = text
    }
  }

  func check() throws(UsageError) {
    guard ![directory, article, date].contains("") else {
      throw UsageError("--into, --article and --date are needed")
    }
  }
}
