internal import Glibc
internal import SystemCalls

extension FileRule {
  /// What a program needs to be started that is linked as this one is: itself, its loader, and the libraries' places.
  package static func starting(_ program: String) -> [FileRule] {
    let mapped = mappedFiles
    let loaders = mapped.filter { $0.utf8.split(separator: slash).last?.starts(with: "ld-".utf8) == true }
    let places = Set(mapped.map(containingDirectory(of:)))
    return [FileRule(program, [.execute, .read])] + loaders.map { FileRule($0, [.execute, .read]) }
      + places.map { FileRule($0, .read) }
  }

  /// The files that this process runs from, proc_pid_maps(5).
  private static var mappedFiles: Set<String> {
    guard let maps = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(maps) }
    var (files, line, capacity): (Set<String>, UnsafeMutablePointer<CChar>?, Int) = ([], nil, 0)
    defer { free(line) }
    while case let count = getline(&line, &capacity, maps), count > 0, let line {
      // The name comes last, and after it a line feed.
      guard let name = strchr(line, Int32(slash)) else { continue }
      line[count - 1] = 0
      files.insert(String(cString: name))
    }
    return files
  }

  private static var slash: UInt8 { UInt8(ascii: "/") }
}
