extension Timestamp {
  /// The instant of a date as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7), also with
  /// hyphens as cookies have it.
  package init?(httpDate text: String) {
    let parts = text.split { $0 == " " || $0 == "-" }
    guard parts.count >= 5, let day = Int(parts[1]), (1...31).contains(day),
      let month = Self.months.firstIndex(of: parts[2].prefix(3).lowercased()), let year = Int(parts[3]),
      (1601...9999).contains(year), parts[4].utf8.count == 8
    else { return nil }
    let date = "\(year)-\(Self.twoDigits(month + 1))-\(Self.twoDigits(day))"
    self.init(text: "\(date)T\(parts[4])Z")
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
