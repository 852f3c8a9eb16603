import Testing

import Glibc

/// A scenario of `authctl` as a text file describes it.
///
/// The lines are in the order of events: command, requests and replies of the daemon, input and output.
///
///     == title
///     run ARGUMENTS             words; '…' keeps spaces, $DIR is the scenario's directory
///     shell SCRIPT              instead of run, for bash; $AUTHCTL is the program
///     env NAME=VALUE            an environment variable of the program
///     stdin TEXT                a line of standard input, which is otherwise empty
///     terminal                  standard input is a terminal; "terminal stdout": standard output too
///     absent                    no socket exists;  file NAME TEXT, mode PATH OCTAL: creates files
///     > METHOD [PARAMS]         the daemon receives exactly this request
///     < RESULT                  the daemon's result; the method's example provides missing members
///     <! ERROR                  the daemon's error
///     <~ TOPIC PAYLOAD          the daemon sends an event
///     >? <? <!? <~?             the same for messages that the interface does not have, as of a newer daemon
///     <raw TEXT                 the daemon writes this line, with $ID for the last request's id, $CR
///     <fill N                   the daemon writes N bytes without a line feed
///     <close                    the daemon closes the connection
///     screen TEXT               waits until the terminal shows this text
///     hidden, shown             the terminal does not echo, or echoes, its input
///     type TEXT                 types a line;  key C: Ctrl-C;  signal NAME: sends a signal to the program
///     await TEXT                waits until standard output contains this text
///     out TEXT, err TEXT        all lines of standard output and standard error; $RESULT is the last result
///                               that the daemon sent, $SUDO is empty for root, and
///                               $START, $RESTART, $JOURNAL, $KERNEL: of systemd, if it runs
///     exit CODE                 or "killed NAME" by a signal
struct Scenario: Sendable, CustomTestStringConvertible {
  struct Step: Sendable {
    let word: String
    let text: String
    let line: Int
  }

  let file: String
  let title: String
  var steps: [Step] = []

  var testDescription: String { "\(file): \(title)" }

  static let all: [Scenario] = {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    return files(in: "/\(folder)/Scenarios").flatMap(parse)
  }()

  private static func files(in folder: String) -> [(name: String, text: String)] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [(String, String)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".txt"), let text = contents(of: "\(folder)/\(name)") { files.append((name, text)) }
    }
    return files.sorted { $0.0 < $1.0 }
  }

  private static func contents(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func parse(name: String, text: String) -> [Scenario] {
    var scenarios: [Scenario] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let text = parts.count > 1 ? parts[1] : ""
      if parts[0] == "==" {
        scenarios.append(Scenario(file: name, title: text))
      } else if !scenarios.isEmpty {
        scenarios[scenarios.count - 1].steps.append(Step(word: parts[0], text: text, line: index + 1))
      }
    }
    return scenarios
  }

  /// Texts of all steps with this word.
  func texts(_ word: String) -> [String] { steps.filter { $0.word == word }.map(\.text) }
}
