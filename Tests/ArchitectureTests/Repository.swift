import FoundationEssentials

/// The repository that these tests stand in.
enum Repository {
  static let root = String("\(#filePath)".dropLast("Tests/ArchitectureTests/Repository.swift".count))

  /// The text of a file by its path from the root.
  static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: root + path) else {
      throw CocoaError(.fileReadUnknown)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The Swift files below a folder, in the order of their paths.
  static func files(in folder: String) throws -> [SourceFile] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root + folder).sorted()
    return try paths.filter { $0.hasSuffix(".swift") }.map { try SourceFile("\(folder)/\($0)") }
  }

  /// The folders so far below a folder, by their paths from it.
  static func folders(in folder: String, depth: Int) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root + folder).filter { path in
      guard path.split(separator: "/").count == depth, !path.contains("__pycache__") else { return false }
      var isFolder = false
      return FileManager.default.fileExists(atPath: root + folder + "/" + path, isDirectory: &isFolder)
        && isFolder
    }
  }

  /// The sources, of which there must be some.
  static let sources = Result { try files(in: "Sources") }
  /// The tests.
  static let tests = Result { try files(in: "Tests") }

  /// What lies at the top.
  static func topLevel() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root)
  }
}

/// One Swift file.
struct SourceFile: Sendable {
  /// Its path from the root.
  let path: String
  /// Its lines.
  let lines: [String]
  /// The name of its module, which is that of the folder that it lies in within its storey.
  let module: String

  init(_ path: String) throws {
    self.path = path
    let text = try Repository.text(path)
    lines = (text.hasSuffix("\n") ? String(text.dropLast()) : text)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let folders = path.split(separator: "/").dropLast()
    module = String(folders.count > 2 ? folders[2] : folders[1])
  }

  /// The modules that it imports.
  var imports: [String] {
    lines.compactMap { line in
      guard !line.hasPrefix(" ") else { return nil }
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place <= 2, words.count > place + 1 else {
        return nil
      }
      let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
      let name = kinds.contains(words[place + 1]) ? words.last ?? "" : words[place + 1]
      return String(name.prefix { $0 != "." })
    }
  }

  /// Where code, not a comment, holds one of these texts: `path:line: text`.
  func places(holding needles: [String]) -> [String] {
    lines.enumerated().compactMap { index, line in
      let code = line.drop { $0 == " " }
      guard !code.hasPrefix("//"), needles.contains(where: { line.contains($0) }) else { return nil }
      return "\(path):\(index + 1): \(code)"
    }
  }
}
