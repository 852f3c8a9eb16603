// libcurl functions that Swift cannot import: curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are
// variadic. One function per type of value lets the compiler check the arguments.
#pragma once

#include <curl/curl.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option with a text, which libcurl copies.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option with a context pointer or buffer, which libcurl does not copy.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option with a header list, which libcurl does not copy.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_body_callback(CURL *easy, curl_write_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
}

static inline CURLcode ccurl_set_header_callback(CURL *easy, curl_write_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
}

static inline CURLcode ccurl_set_open_callback(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Returns the address of a connection. The address can be longer than its declared type, so Swift would
/// truncate a copy.
static inline const struct sockaddr *ccurl_socket_address(const struct curl_sockaddr *address) {
  return &address->addr;
}
