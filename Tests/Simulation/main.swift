internal import CSimulation
internal import EventLoop
internal import Glibc
internal import Journal

/// Runs simulations, one per seed: `mfad-simulate DIRECTORY FIRST COUNT [tell | first]`.
///
/// `tell` traces all events; `first` stops at the first failure. Each run has its own process: services
/// retain each other until their process ends, and a trap in one run must not affect others.
nonisolated enum Simulator {
  static func main() -> Int32 {
    // Sets and dictionaries then have a fixed order as well.
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
    // Swift locks identify a thread by a cached thread ID, which is wrong in a forked process. The forking
    // thread therefore must not have taken any lock.
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

  /// The common start of all runs.
  @EventLoop private static var template: Result<Template, any Error>?

  /// Creates the common start of all runs, in the directory argument.
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

  /// Runs one simulation and returns the exit status for `_exit`.
  ///
  /// A regular exit would destroy objects that library threads still use.
  @EventLoop
  private static func play(_ seed: UInt64, in directory: String, tells: Bool) async -> Int32 {
    // A CPU time limit ends a run that loops within one loop iteration.
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
    // The process reports violations itself, except after a signal.
    if status & 0x7f != 0 { say("seed \(seed): the daemon ended by signal \(status & 0x7f)") }
    return status == 0
  }
}

exit(Simulator.main())
