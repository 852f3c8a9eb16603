internal import ControlAPI
internal import EventLoop
internal import Time

extension Approvals {
  /// Resumes after a start: times run again, and what was decided but not heard is asked for and sent again.
  package func resume() async throws {
    let now = time.now()
    let open = try table.open()
    for request in open where deadlines[request.ownedKey] == nil {
      // A clock that was set back gives no request more time than it had at its receipt, which was before the start.
      let most = Duration.seconds(request.timeout) - (time.uptime() - start)
      let left = min(.seconds(request.expiresAt.seconds(since: now)), most)
      expire(request.id, of: request.owner, after: max(.zero, left))
    }
    // Another side that does not answer holds up nobody else's.
    let resumed = open.filter { $0.state == .sending && $0.expiresAt > now }.map { request in
      EventLoop.task { [delivery] in await delivery.resume(request) }
    }
    for task in resumed { await task.value }
  }
}
