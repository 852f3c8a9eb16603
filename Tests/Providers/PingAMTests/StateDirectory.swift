import FoundationEssentials
import TestNetwork

extension TestDirectory {
  /// True if a file of the state directory contains these bytes.
  func holds(_ text: String) throws -> Bool {
    let folder = path + "/state"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)").map(Array.init) ?? []
      return bytes.firstRange(of: Array(text.utf8)) != nil
    }
  }
}
