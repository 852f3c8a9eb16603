import FoundationEssentials

/// The repository that contains these tests.
enum Repository {
  static let root = String("\(#filePath)".dropLast("Tests/ArchitectureTests/Repository.swift".count))

  /// Returns the text of a file by its path from the root.
  static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: root + path) else {
      throw CocoaError(.fileReadUnknown)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns the Swift files below a folder, sorted by path.
  static func files(in folder: String) throws -> [SourceFile] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root + folder).sorted()
    return try paths.filter { $0.hasSuffix(".swift") }.map { try SourceFile("\(folder)/\($0)") }
  }

  /// Returns the folders at a depth below a folder, as relative paths.
  static func folders(in folder: String, depth: Int) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root + folder).filter { path in
      guard path.split(separator: "/").count == depth, !path.contains("__pycache__") else { return false }
      var isFolder = false
      return FileManager.default.fileExists(atPath: root + folder + "/" + path, isDirectory: &isFolder)
        && isFolder
    }
  }

  /// All source files.
  static let sources = Result { try files(in: "Sources") }
  /// All test files.
  static let tests = Result { try files(in: "Tests") }

  /// Returns the entries of the root folder.
  static func topLevel() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root)
  }
}

/// A Swift file.
struct SourceFile: Sendable {
  /// The path relative to the root.
  let path: String
  let lines: [String]
  /// The module name: the name of the folder below the layer.
  let module: String

  init(_ path: String) throws {
    self.path = path
    let text = try Repository.text(path)
    lines = (text.hasSuffix("\n") ? String(text.dropLast()) : text)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let folders = path.split(separator: "/").dropLast()
    module = String(folders.count > 2 ? folders[2] : folders[1])
  }

  /// The imported modules.
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

  /// Returns the lines that contain one of the needles, except comments, as `path:line: text`.
  func places(holding needles: [String]) -> [String] {
    lines.enumerated().compactMap { index, line in
      let code = line.drop { $0 == " " }
      guard !code.hasPrefix("//"), needles.contains(where: { line.contains($0) }) else { return nil }
      return "\(path):\(index + 1): \(code)"
    }
  }
}
