import CLinux
import EventLoop
import Glibc

extension FuzzCase.Meter {
  /// Memory of the whole process as counted by the kernel.
  ///
  /// The process must do nothing else meanwhile.
  ///
  /// Tests use the regular allocator of the programs, so they cannot use one that counts.
  @EventLoop
  static func ofProcess() -> Self {
    var before = 0
    return Self(
      start: {
        var now = memory()
        if now.peak - now.held > leeway {
          clinux_give_back_what_is_free()
          forgetPeak()
          now = memory()
        }
        before = now.held
      },
      peak: { memory().peak - before }
    )
  }

  /// Maximum number of bytes that the peak of earlier cases may hide.
  private static let leeway = 1 << 20

  /// See proc_pid_clear_refs(5).
  private static func forgetPeak() {
    let descriptor = open("/proc/self/clear_refs", O_WRONLY)
    precondition(write(descriptor, "5", 1) == 1)
    close(descriptor)
  }

  /// Current and peak memory of this process, in bytes.
  private static func memory() -> (held: Int, peak: Int) {
    let descriptor = open("/proc/self/status", O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    close(descriptor)
    func number(after name: StaticString) -> Int {
      let name = name.withUTF8Buffer { Array($0) }
      let start = (0..<count - name.count).first { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }
      return bytes[(start ?? count)...].dropFirst(name.count).drop { $0 <= 32 }.prefix { $0 > 32 }
        .reduce(0) { $0 * 10 + Int($1) - 48 } * 1024
    }
    let found = (held: number(after: "VmRSS:"), peak: number(after: "VmHWM:"))
    precondition(found.held > 0 && found.peak > 0)
    return found
  }
}
