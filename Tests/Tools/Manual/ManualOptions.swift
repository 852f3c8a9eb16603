internal import Usage

/// The parsed command line.
struct ManualOptions: ProgramOptions {
  let directory: String
  let article: String
  let date: String

  init(_ arguments: Arguments) throws(UsageError) {
    guard let directory = arguments["--into"], let article = arguments["--article"],
      let date = arguments["--date"]
    else { throw UsageError("--into, --article and --date are needed") }
    (self.directory, self.article, self.date) = (directory, article, date)
  }

  static let usage = ProgramUsage(
    "mfad-manual",
    forms: ["--into DIRECTORY --article FILE --date DAY", "--help | --version"],
    summary: "writes the manual of mfad",
    purpose: "Writes the pages of the manual.",
    options: [
      Option("--into", takes: "DIRECTORY", "where the pages go"),
      Option("--article", takes: "FILE", "the article on the configuration, which explains its keys"),
      Option("--date", takes: "DAY", "the day that the pages bear, as 2026-11-21"),
      .help,
      .version,
    ],
    exitCodes: [(0, "written"), (1, "failed"), (2, "wrong usage")]
  )
}
