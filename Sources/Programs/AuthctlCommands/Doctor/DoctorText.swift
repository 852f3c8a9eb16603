internal import ControlAPI
internal import ControlClient

/// Checks as a person reads them: each in words, which on a terminal have colours too.
enum DoctorText {
  /// `columns` is how wide the terminal is, if one reads it.
  static func lines(_ report: DoctorReport, hasColours: Bool, columns: Int?) -> [SafeText] {
    let width = report.checks.map(\.name.name.count).max() ?? 0
    let margin = ("" as SafeText).padded(to: 7 + 2 + width + 2)
    func filled(_ text: SafeText) -> [SafeText] {
      columns.map { Wrapping.lines(text, width: max(24, $0 - margin.columns)) } ?? [text]
    }
    return report.checks.flatMap { check in
      let result: SafeText = "\(check.result.name)"
      let word = result.padded(to: 7)
      let shown = hasColours ? colour(check.result.choice, word) : word
      let name: SafeText = "\(check.name.name)"
      let cause: SafeText = check.cause.map { " (\($0))" } ?? ""
      let message = SafeText(sentence: check.message)
      let found = filled("\(message)\(cause)")
      let remedy = check.remedy.map { filled("remedy: \($0)") } ?? []
      let head: SafeText = "\(shown)  \(name.padded(to: width))  \(found.first ?? "")"
      return [head] + (found.dropFirst() + remedy).map { "\(margin)\($0)" }
    }
  }

  private static func colour(_ result: DoctorReport.Result?, _ word: SafeText) -> SafeText {
    switch result {
    case .pass: "\u{1B}[32m\(word)\u{1B}[0m"
    case .warning: "\u{1B}[33m\(word)\u{1B}[0m"
    case .fail: "\u{1B}[31m\(word)\u{1B}[0m"
    case .skipped, nil: "\u{1B}[2m\(word)\u{1B}[0m"
    }
  }
}
