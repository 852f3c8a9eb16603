import Testing

@testable import Configuration

@Suite("Configuration article")
struct ConfigurationArticleTests {
  private struct Row {
    let key: String
    /// The default as written in the file, or nil if it is not a value.
    let standard: String?
    let countsAfter: String
  }

  private static func rows() throws -> [Row] {
    let article = try Repository.text("Sources/Programs/Daemon/Documentation.docc/Configuration.md")
    return article.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { String($0).codeSpans.first ?? $0.filter { $0 != " " } }
      let standard = line.split(separator: "|").dropLast().last.map(String.init) ?? ""
      let value = standard.codeSpans.first
      return Row(
        key: cells.first ?? "",
        standard: standard == " `\(value ?? "")` " ? value : nil,
        countsAfter: cells.last ?? ""
      )
    }
  }

  @Test("the article has every configuration key once and no other")
  func keys() throws {
    #expect(try Self.rows().map(\.key).sorted() == ConfigurationKey.all.map(\.name).sorted())
  }

  /// Values other than the defaults, at least one for each key.
  private static let values = [
    "yes", "no", "all", "debug", "Europe", "RS384", "7", "/somewhere", "https://mfa.example", "openid email",
    "https://api.pingone.eu",
    "https://mfa.example=/somewhere", "BWNm8Bky1E7HORUbz25EJkLPwUPWA2UBtDzIeqKznWU", "other",
  ]

  @Test("the article states for each key whether a change needs a restart")
  func changes() throws {
    for row in try Self.rows() { #expect(row.countsAfter == Self.countsAfter(row.key), "\(row.key)") }
  }

  private static func countsAfter(_ key: String) -> String {
    let needs = values.compactMap { value -> Bool? in
      let changed = try? Configuration(parsing: "\(key) = \(value)", file: "mfad.conf")
      return changed.map { !Configuration().keysThatNeedRestart(comparedWith: $0).isEmpty }
    }
    return needs.isEmpty ? "no value fits" : needs.contains(true) ? "restart" : "reload"
  }

  /// Returns the commented-out keys of the installed file with their values.
  private static func template() throws -> [(key: String, value: String)] {
    try Repository.text("systemd/mfad.conf").split(separator: "\n").compactMap { line in
      let isKey = line.hasPrefix("#") && !line.hasPrefix("# ")
      guard isKey, let end = line.firstRange(of: " =") else { return nil }
      let key = line[..<end.lowerBound].dropFirst()
      return (String(key), String(line[end.upperBound...].dropFirst()))
    }
  }

  @Test("the installed file has every key once, commented out, and names mfad.conf(5)")
  func installedFile() throws {
    let text = try Repository.text("systemd/mfad.conf")
    #expect(text.contains("mfad.conf(5)"))
    #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
    #expect(try Self.template().map(\.key).sorted() == ConfigurationKey.all.map(\.name).sorted())
  }

  @Test("values in the installed file are the defaults")
  func installedDefaults() throws {
    // These keys have no default; the file shows examples.
    let examples: Set = ["platform", "platform_key", "issuer", "client_id", "redirect_uri"]
    let template = try Self.template().filter { !examples.contains($0.key) }
    let set = template.filter { !$0.value.isEmpty }
    let file = set.map { "\($0.key) = \($0.value)\n" }.joined()
    let configuration = try Configuration(parsing: file, file: "mfad.conf")
    #expect(String(reflecting: configuration) == String(reflecting: Configuration()))
    for row in try Self.rows() {
      guard let standard = row.standard else { continue }
      #expect(set.contains { $0.key == row.key && $0.value == standard }, "\(row.key)")
    }
  }
}
