import FoundationEssentials

/// The tests that a page may name as proofs: `folder/file::name`, end-to-end tests without their folder.
enum Proofs {
  /// What is not so of a proof; `nil` when there is such a test.
  static func fault(of proof: String) -> String? {
    let parts = proof.split(separator: ":").map(String.init)
    guard parts.count == 2, proof == parts.joined(separator: "::") else { return "not file::name" }
    let path = parts[0].contains("/") ? parts[0] : "EndToEndTests/\(parts[0])"
    guard let data = FileManager.default.contents(atPath: "\(Repository.root)Tests/\(path)") else {
      return "no such file"
    }
    let starts =
      switch path.split(separator: ".").last {
      case "py": ["def \(parts[1])("]
      case "swift": ["  func \(parts[1])("]
      default: ["== \(parts[1])"]
      }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    return lines.contains { line in starts.contains { line.hasPrefix($0) } } ? nil : "no such test"
  }
}
