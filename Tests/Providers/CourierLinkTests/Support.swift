import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import TestCourier
import WebAddress

/// Result of a request, for comparison.
enum Outcome: Equatable {
  case answer(String)
  case failure(CourierFailure)
}

extension CourierClient {
  func outcome(_ request: CourierRequest) async -> Outcome {
    do throws(CourierFailure) {
      return .answer(try await send(request).text)
    } catch {
      return .failure(error)
    }
  }

  func get(_ url: WebURL, timeout: Duration = .seconds(40)) async -> Outcome {
    await outcome(CourierRequest(.get, url, timeout: timeout))
  }

  /// Sends a GET request in a new task.
  func begin(_ url: WebURL, timeout: Duration = .seconds(40)) -> Task<Outcome, Never> {
    Task { @EventLoop in await self.get(url, timeout: timeout) }
  }
}

extension CourierListener {
  func outcome() async -> Outcome {
    do throws(CourierFailure) {
      return .answer(try await query())
    } catch {
      return .failure(error)
    }
  }

  /// Waits for the redirect in a new task.
  func begin() -> Task<Outcome, Never> {
    Task { @EventLoop in await self.outcome() }
  }
}

extension CourierClient {
  func listen(
    path: String = "/",
    timeout: Duration = .seconds(600),
    owner: uid_t = 1000
  ) async throws(CourierFailure) -> CourierListener {
    try await listen(for: .withState(path: path, timeout: timeout), of: owner)
  }

  /// The failure of opening a listener.
  ///
  /// `nil` if it succeeds.
  func listenFailure(
    path: String = "/",
    timeout: Duration = .seconds(60),
    owner: uid_t = 1000
  ) async -> CourierFailure? {
    do throws(CourierFailure) {
      _ = try await listen(path: path, timeout: timeout, owner: owner)
      return nil
    } catch {
      return error
    }
  }
}
