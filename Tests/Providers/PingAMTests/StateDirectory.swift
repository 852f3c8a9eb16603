import FoundationEssentials
import TestNetwork

extension TestDirectory {
  /// Whether a file of the state has these bytes anywhere.
  func holds(_ text: String) throws -> Bool {
    let folder = path + "/state"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)").map(Array.init) ?? []
      return bytes.firstRange(of: Array(text.utf8)) != nil
    }
  }
}
