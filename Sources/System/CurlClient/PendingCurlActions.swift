internal import CCurl
internal import EventLoop

/// The sockets and the timeout that libcurl asks the loop to watch.
///
/// libcurl's callbacks record them during a call, and the client applies them after the call. The class needs
/// no isolation, because the client makes all calls on the loop.
final class PendingCurlActions {
  /// Sockets in the order of the requests, with the events to watch; `nil` stops watching.
  var sockets: [(socket: curl_socket_t, interest: Interest?)] = []
  /// The latest requested timeout in milliseconds; negative removes the timer.
  var timeout: Int?
}

private func wishes(_ context: UnsafeMutableRawPointer) -> PendingCurlActions {
  Unmanaged<PendingCurlActions>.fromOpaque(context).takeUnretainedValue()
}

func curlWatchSocket(
  _ easy: UnsafeMutableRawPointer?,
  _ socket: curl_socket_t,
  _ what: Int32,
  _ context: UnsafeMutableRawPointer?,
  _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return -1 }
  let interest: Interest? =
    switch what {
    case CURL_POLL_IN: .readable
    case CURL_POLL_OUT: .writable
    case CURL_POLL_INOUT: [.readable, .writable]
    default: nil
    }
  wishes(context).sockets.append((socket, interest))
  return 0
}

func curlSetTimer(
  _ multi: UnsafeMutableRawPointer?,
  _ milliseconds: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return -1 }
  wishes(context).timeout = milliseconds
  return 0
}
