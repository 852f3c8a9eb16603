internal import Glibc

extension FileRule {
  /// What a program needs to be started that is linked as this one is: itself, its loader, and the libraries' places.
  package static func starting(_ program: String) -> [FileRule] {
    let mapped = mappedFiles
    let loaders = mapped.filter { $0.split(separator: "/").last?.hasPrefix("ld-") == true }
    let places = Set(mapped.map(directory(of:)))
    return [FileRule(program, [.execute, .read])] + loaders.map { FileRule($0, [.execute, .read]) }
      + places.map { FileRule($0, .read) }
  }

  /// The files that this process runs from, proc_pid_maps(5).
  private static var mappedFiles: Set<String> {
    guard let maps = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(maps) }
    var (files, line, capacity): (Set<String>, UnsafeMutablePointer<CChar>?, Int) = ([], nil, 0)
    defer { free(line) }
    while getline(&line, &capacity, maps) >= 0, let line {
      // Its line feed comes after the name, which is the last of what there is.
      if let name = strchr(line, Int32(UInt8(ascii: "/"))) {
        files.insert(String(String(cString: name).dropLast()))
      }
    }
    return files
  }
}
