/// Tests that a page names as proofs: `folder/file::name`, without folder for end-to-end tests.
enum Proofs {
  /// Returns the fault of a proof, or nil if the test exists.
  static func fault(of proof: String) -> String? {
    let parts = proof.split(separator: ":").map(String.init)
    guard parts.count == 2, proof == parts.joined(separator: "::") else { return "not file::name" }
    let path = parts[0].contains("/") ? parts[0] : "EndToEndTests/\(parts[0])"
    guard let text = try? Repository.text("Tests/\(path)") else { return "no such file" }
    let lines = text.split(separator: "\n")
    let isThere =
      switch path.split(separator: ".").last {
      case "py": parts[1].hasPrefix("test_") && lines.contains { $0.hasPrefix("def \(parts[1])(") }
      case "swift":
        // The line before the function distinguishes a test from a helper.
        zip(lines, lines.dropFirst()).contains { before, line in
          line.hasPrefix("  func \(parts[1])(") && (before.hasPrefix("  @Test") || before == "  )")
        }
      default: lines.contains { $0.hasPrefix("== \(parts[1])") }
      }
    return isThere ? nil : "no such test"
  }
}
