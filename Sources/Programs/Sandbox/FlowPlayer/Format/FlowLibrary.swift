import Glibc

struct FlowLibrary: Sendable {
  private var flows: [Flow] = []

  init() {}

  /// Reads every file of a directory whose name ends in `.json`.
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

  private static let maximumBytes = 1024 * 1024

  private static func files(in directory: String) throws(FlowFileError) -> [String] {
    guard let stream = opendir(directory) else {
      throw FlowFileError(file: directory, place: "", reason: "the directory cannot be read")
    }
    defer { closedir(stream) }
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".json"), !name.hasPrefix(".") { files.append(name) }
    }
    return files.sorted()
  }

  private static func content(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return ferror(file) == 0 ? content : nil }
      content += buffer[..<count]
      guard content.count <= maximumBytes else { return nil }
    }
  }
}
