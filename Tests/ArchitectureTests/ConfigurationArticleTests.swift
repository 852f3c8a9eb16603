import Testing

@testable import Configuration

@Suite("The article on the configuration")
struct ConfigurationArticleTests {
  private struct Row {
    let key: String
    let countsAfter: String
  }

  private static func rows() throws -> [Row] {
    let article = try Repository.text("Sources/Programs/Daemon/Documentation.docc/Configuration.md")
    return article.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { String($0).codeSpans.first ?? $0.filter { $0 != " " } }
      return Row(key: cells.first ?? "", countsAfter: cells.last ?? "")
    }
  }

  @Test("it has every key once, and no other")
  func keys() throws {
    #expect(try Self.rows().map(\.key).sorted() == ConfigurationKey.all.map(\.name).sorted())
  }

  /// Values other than the defaults, of which each key takes one.
  private static let values = [
    "yes", "no", "all", "debug", "Europe", "RS384", "7", "/somewhere", "https://mfa.example", "openid email",
    "https://api.pingone.eu",
    "https://mfa.example=/somewhere", "BWNm8Bky1E7HORUbz25EJkLPwUPWA2UBtDzIeqKznWU", "other",
  ]

  @Test("it says of each key whether a change of it counts without a restart")
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
}
