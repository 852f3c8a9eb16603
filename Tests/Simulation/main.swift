internal import CSimulation
internal import EventLoop
internal import Glibc
internal import Journal

/// Plays histories, each by the number of its seed: `mfad-simulate DIRECTORY FIRST COUNT [tell | first]`.
///
/// It tells all that happens in them, or ends with the first that is wrong. Each has a process of its own: services hold
/// each other for as long as their program lives, and what ends one history by a trap leaves the others alone.
nonisolated enum Simulator {
  static func main() -> Int32 {
    // Sets and dictionaries too have one order only then.
    if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
      setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
      var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
      execv("/proc/self/exe", &arguments)
    }
    let words = CommandLine.arguments
    guard words.count >= 4, let first = UInt64(words[2]), let count = UInt64(words[3]) else {
      say("usage: mfad-simulate DIRECTORY FIRST COUNT [tell | first]")
      return 64
    }
    let directory = words[1]
    let journal = open(directory + "/journal", O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
    guard journal >= 0, dup2(journal, STDERR_FILENO) >= 0 else { return 1 }
    // A lock of Swift's knows a thread by a number that the thread remembers, and in a copy of the process it has another:
    // the thread that is copied has taken none.
    guard run_apart({ Simulator.prepare() }) else { return 1 }
    let (tells, endsWithFirst) = (words.dropFirst(4).first == "tell", words.dropFirst(4).first == "first")
    var failed = 0
    for seed in first..<(first + count) where failed == 0 || !endsWithFirst {
      let process = go_on_twice()
      if process == 0 {
        ftruncate(STDERR_FILENO, 0)
        EventLoop.task { _exit(await play(seed, in: directory, tells: tells)) }
        EventLoop.run()
      }
      if !hasPassed(process, seed) { failed += 1 }
    }
    say("\(count) histories, \(failed) failed")
    return failed == 0 ? 0 : 1
  }

  /// What every history begins with.
  @EventLoop private static var template: Result<Template, any Error>?

  /// Makes what every history begins with, in the directory that the program was given.
  private static func prepare() {
    Journal.level = .debug
    EventLoop.task {
      do { template = .success(try await Template.make(in: CommandLine.arguments[1])) } catch {
        template = .failure(error)
      }
      EventLoop.stop()
    }
    EventLoop.run()
  }

  /// It ends at once with what this returns: what an ordinary exit takes apart, threads of the libraries may still use.
  @EventLoop
  private static func play(_ seed: UInt64, in directory: String, tells: Bool) async -> Int32 {
    // A history that goes round within a turn ends here, by the time of its processor.
    var longest = itimerval()
    longest.it_value.tv_sec = 60
    setitimer(Int32(ITIMER_PROF.rawValue), &longest, nil)
    do {
      guard let template = try template?.get() else { return 1 }
      let history = try History(seed: seed, from: template, in: directory, tells: tells)
      return await history.run().isEmpty ? 0 : 1
    } catch {
      say("seed \(seed) cannot begin: \(error)")
      return 1
    }
  }

  private static func hasPassed(_ process: pid_t, _ seed: UInt64) -> Bool {
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process else { return false }
    // It says itself what was wrong, unless it could not.
    if status & 0x7f != 0 { say("seed \(seed): the daemon ended by signal \(status & 0x7f)") }
    return status == 0
  }
}

exit(Simulator.main())
