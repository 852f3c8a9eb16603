internal import Journal

/// Why a message is not taken as one that was encrypted for an owner.
enum WebPushFault: String, Error, JournalWord {
  case length, recordSize, senderKey, notOurs, padding
}
