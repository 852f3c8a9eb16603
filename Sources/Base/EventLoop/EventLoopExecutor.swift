internal import CLinux
internal import Glibc
internal import Synchronization

/// Runs the jobs of the actor on the thread that runs the loop; jobs may come from any thread.
///
/// It is a task executor too: a continuation resumes on its task's executor, and without one of its own that
/// would be Swift's default executor with its pool of threads.
final class EventLoopExecutor: SerialExecutor, TaskExecutor {
  /// Becomes readable when a job is waiting.
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
      // The loop drains the queue in each turn, so its own thread needs no event to notice a job.
      if state.isAwake || state.thread == pthread_self() { return false }
      state.isAwake = true
      return true
    }
    guard mustWake else { return }
    var one: UInt64 = 1
    _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Runs the jobs that wait now, the next one as long as there is time, and tells whether there was for all; jobs that
  /// these add wait for the next call.
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

  /// Takes the event away that woke the loop.
  func acknowledgeWake() {
    var count: UInt64 = 0
    _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
  }

  func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the event loop")
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread == pthread_self() } }
}
