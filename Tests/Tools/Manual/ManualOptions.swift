internal import Usage

/// The parsed command line.
struct ManualOptions: ProgramOptions {
  let directory: String
  let article: String
  let date: String

  init(_ arguments: Arguments) throws(UsageError) {
    guard let directory = arguments["--into"], let article = arguments["--article"],
      let date = arguments["--date"]
    else { throw UsageError("--into, --article and --date are required") }
    (self.directory, self.article, self.date) = (directory, article, date)
  }

  static let usage = ProgramUsage(
    "mfad-manual",
    forms: ["--into DIRECTORY --article FILE --date DAY", "--help | --version"],
    summary: "write the manual pages of mfad",
    purpose: "Writes all manual pages into a directory.",
    options: [
      Option("--into", takes: "DIRECTORY", "write the pages into DIRECTORY"),
      Option("--article", takes: "FILE", "read the documentation of the configuration keys from FILE"),
      Option("--date", takes: "DAY", "set the date of the pages, for example 2026-11-21"),
      .help,
      .version,
    ],
    exitCodes: [(0, "written"), (1, "failed"), (2, "wrong usage")]
  )
}
