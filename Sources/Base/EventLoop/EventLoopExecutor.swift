internal import CLinux
internal import Glibc
internal import Synchronization

/// Runs the actor's jobs on the loop's thread.
///
/// Any thread may enqueue jobs.
///
/// The class is also a task executor, because a continuation resumes on the executor of its task. A task
/// without an executor preference would resume on Swift's default executor, which starts a pool of threads.
final class EventLoopExecutor: SerialExecutor, TaskExecutor {
  /// An eventfd that becomes readable when a job is queued.
  let wakeDescriptor = clinux_eventfd()

  private struct State {
    var jobs: [UnownedJob] = []
    var thread: pthread_t?
    var isAwake = false
  }

  private let state = Mutex(State())

  func adoptCurrentThread() { state.withLock { $0.thread = pthread_self() } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustWake = state.withLock { state in
      state.jobs.append(job)
      // The loop drains the queue in each iteration, so its own thread needs no event to notice a job.
      if state.isAwake || state.thread == pthread_self() { return false }
      state.isAwake = true
      return true
    }
    guard mustWake else { return }
    var one: UInt64 = 1
    _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Runs the queued jobs: the first always, each further one only while `hasTime` returns true.
  ///
  /// Returns false if some of these jobs did not run. Jobs that are added during the call run at the next
  /// call.
  func drain(while hasTime: () -> Bool) -> Bool {
    let jobs = state.withLock { state in
      state.isAwake = false
      let jobs = state.jobs
      state.jobs = []
      return jobs
    }
    for (index, job) in jobs.enumerated() {
      guard index == 0 || hasTime() else {
        state.withLock { $0.jobs = jobs[index...] + $0.jobs }
        return false
      }
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    return true
  }

  var hasJobs: Bool { state.withLock { !$0.jobs.isEmpty } }

  /// Reads the eventfd, so that it is no longer readable.
  func acknowledgeWake() {
    var count: UInt64 = 0
    _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the event loop")
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread == pthread_self() } }
}
