internal import CLinux
internal import Glibc
public import SystemCalls

/// The rights that a process and its children keep; `enforce` permanently gives up all others.
///
/// The process must have only one thread when it calls `enforce`.
public struct Confinement: Sendable {
  public var files: [FileRule]
  /// The socket families that may be created.
  public var families: [Int32]
  /// True if the process may start programs and signal them.
  public var startsPrograms: Bool
  /// True if the process may connect to abstract Unix sockets of other processes.
  public var speaksAbstractly: Bool

  public init(
    files: [FileRule],
    families: [Int32],
    startsPrograms: Bool = false,
    speaksAbstractly: Bool = false
  ) {
    (self.files, self.families) = (files, families)
    (self.startsPrograms, self.speaksAbstractly) = (startsPrograms, speaksAbstractly)
  }

  /// The protections that are active, and the protections that could not be activated.
  public struct Outcome: Sendable, Equatable {
    /// Names such as `landlock:6`, `seccomp`, `no-new-privileges` and `no-dump`.
    public internal(set) var inForce: [String] = []
    public internal(set) var missing: [String] = []

    mutating func note(_ name: String, _ isInForce: Bool, else reason: String? = nil) {
      if isInForce { inForce.append(name) } else { missing.append(reason ?? name) }
    }
  }

  /// The newest Landlock version that is used; it restricts signals and abstract sockets.
  private static let newestLandlock = 6
  private static let (abstractSockets, signals): (UInt64, UInt64) = (1, 2)

  /// Gives up all other rights; if the kernel lacks a protection, the others still take effect.
  public func enforce() -> Outcome {
    var outcome = Outcome()
    // Without no-new-privileges, only a privileged process may confine itself.
    outcome.note("no-new-privileges", clinux_forbid_new_privileges() == 0)
    let version = min(Int(clinux_landlock_version()), Self.newestLandlock)
    outcome.note("landlock:\(version)", version > 0 && limitFiles(version), else: "landlock")
    let numbers = families.map(UInt32.init(bitPattern:))
    outcome.note("seccomp", clinux_allow_calls(numbers, numbers.count, callGroups) == 0)
    outcome.note("no-dump", clinux_is_dumpable() == 0)
    return outcome
  }

  /// The groups of system calls that these rights need.
  private var callGroups: UInt32 {
    let rights = files.reduce(FileRights()) { $0.union($1.rights) }
    var groups: UInt32 = 0
    if rights.isSuperset(of: .remove) { groups |= UInt32(clinux_removes_files) }
    if rights.isSuperset(of: .manage) { groups |= UInt32(clinux_keeps_files) }
    if startsPrograms { groups |= UInt32(clinux_starts_programs) }
    return groups
  }

  private func limitFiles(_ version: Int) -> Bool {
    let known = FileRights.known(to: version)
    let scopes = version < 6 ? 0 : Self.signals | (speaksAbstractly ? 0 : Self.abstractSockets)
    let rules = clinux_landlock_begin(known.rawValue, scopes)
    guard rules >= 0 else { return false }
    defer { close(rules) }
    for file in files {
      let rights = file.rights.intersection(known)
      guard clinux_landlock_allow(rules, file.path, rights.rawValue) != 0 else { continue }
      // A file that is missing or inaccessible to this process needs no rule.
      guard [ENOENT, EACCES, ENOTDIR, ELOOP].contains(errno) else { return false }
    }
    return clinux_landlock_enforce(rules) == 0
  }
}

extension Confinement {
  /// Runs `body` on a confined thread of its own and returns its result.
  ///
  /// The programs that `body` starts are confined too, but the calling thread is not. A protection that the
  /// kernel lacks is left out.
  public func run<R: Sendable>(_ body: @escaping @Sendable () -> R) throws(SystemError) -> R {
    var result: R?
    let work = ConfinedWork {
      _ = enforce()
      result = body()
    }
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      nil,
      { pointer in
        if let pointer { Unmanaged<ConfinedWork>.fromOpaque(pointer).takeUnretainedValue().run() }
        return nil
      },
      Unmanaged.passUnretained(work).toOpaque()
    )
    guard code == 0 else { throw SystemError("pthread_create", code: code) }
    // The thread needs `work` until it ends, and sets `result`.
    _ = withExtendedLifetime(work) { pthread_join(thread, nil) }
    guard let result else { throw SystemError("pthread_join", code: ECANCELED) }
    return result
  }
}

/// The work of a confined thread.
private final class ConfinedWork {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}

extension FileRule {
  /// Returns the rules for starting a program that is linked like this one: the program, its loader and the
  /// library directories.
  public static func starting(_ program: String) -> [FileRule] {
    let mapped = mappedFiles
    let loaders = mapped.filter { $0.utf8.split(separator: slash).last?.starts(with: "ld-".utf8) == true }
    let places = Set(mapped.map(containingDirectory(of:)))
    return [FileRule(program, [.execute, .read])] + loaders.map { FileRule($0, [.execute, .read]) }
      + places.map { FileRule($0, .read) }
  }

  /// The files that are mapped into this process, proc_pid_maps(5).
  private static var mappedFiles: Set<String> {
    guard let maps = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(maps) }
    var (files, line, capacity): (Set<String>, UnsafeMutablePointer<CChar>?, Int) = ([], nil, 0)
    defer { free(line) }
    while case let count = getline(&line, &capacity, maps), count > 0, let line {
      // The name is the last field, followed by a line feed.
      guard let name = strchr(line, Int32(slash)) else { continue }
      line[count - 1] = 0
      files.insert(String(cString: name))
    }
    return files
  }

  private static var slash: UInt8 { UInt8(ascii: "/") }
}
