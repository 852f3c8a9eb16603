import FoundationEssentials

struct FlowLibrary: Sendable {
  private var flows: [Flow] = []

  init() {}

  /// Reads all files of a directory with names that end in `.json`.
  init(directory: String) throws(FlowFileError) {
    for file in try Self.files(in: directory) {
      let path = "\(directory)/\(file)"
      guard let text = Self.content(of: path) else {
        throw FlowFileError(file: file, place: "", reason: "it cannot be read or is too large")
      }
      let flow = try Flow(parsing: text, file: file)
      guard self.flow(flow.id, flow.kind.name) == nil else {
        throw FlowFileError(file: file, place: "id", reason: "there is a flow \(flow.id) already")
      }
      flows.append(flow)
    }
  }

  func flow(_ id: String, _ kind: String) -> Flow? { flows.first { $0.id == id && $0.kind.name == kind } }

  private static func files(in directory: String) throws(FlowFileError) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
      throw FlowFileError(file: directory, place: "", reason: "the directory cannot be read")
    }
    return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
  }

  private static func content(of path: String) -> [UInt8]? {
    guard let file = FileManager.default.contents(atPath: path), file.count <= 1024 * 1024 else {
      return nil
    }
    return Array(file)
  }
}
