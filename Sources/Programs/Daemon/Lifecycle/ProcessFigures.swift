import Glibc

/// The resource usage of this process, from proc(5).
///
/// Values that cannot be read are 0.
enum ProcessFigures {
  /// Returns the resident memory, the second field of `statm`, which is in pages.
  static func residentBytes() -> Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let numbers = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard numbers.count > 1 else { return 0 }
    return (Int(String(decoding: numbers[1], as: UTF8.self)) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// True if the executable file of this process has been deleted or replaced, see proc_pid_exe(5).
  static var hasReplacedProgram: Bool {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:))
    return path.suffix(10).elementsEqual(" (deleted)".utf8)
  }

  static func openFiles() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Without `.`, `..` and the directory itself.
    return max(0, count - 3)
  }
}
