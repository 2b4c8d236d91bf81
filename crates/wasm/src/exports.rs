//! The exports of the module, and the host's clock. All memory that passes between is the module's.
#![allow(unsafe_code)] // exports and imports are unsafe to declare; what they do is said at each

use std::time::Duration;

use freeboard::cfsm_core::clock;

#[link(wasm_import_module = "freeboard")]
unsafe extern "C" {
    /// Milliseconds of the host's clock, which never goes back.
    safe fn now() -> f64;
}

fn host_time() -> Duration {
    Duration::try_from_secs_f64(now() / 1_000.0).unwrap_or_default()
}

/// Memory for a request of `length` bytes, which `freeboard_check` takes back.
#[unsafe(no_mangle)] // no other symbol has this name
pub extern "C" fn freeboard_alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Checks the request of `length` bytes at `request`, and gives that memory back. Returns the place
/// of the answer: its length in four bytes, little-endian, and behind them so many of UTF-8.
///
/// # Safety
/// `request` is what `freeboard_alloc(length)` returned, and is used no more.
#[unsafe(no_mangle)] // no other symbol has this name
pub unsafe extern "C" fn freeboard_check(request: *mut u8, length: usize) -> *mut u8 {
    clock::set_source(host_time);
    // SAFETY: by the caller's word this is the boxed slice that `freeboard_alloc` has leaked.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, length)) };
    let text = super::check(&String::from_utf8_lossy(&bytes));
    let length = u32::try_from(text.len()).unwrap_or_default();
    let mut answer = length.to_le_bytes().to_vec();
    answer.extend_from_slice(text.as_bytes());
    Box::leak(answer.into_boxed_slice()).as_mut_ptr()
}

/// Gives the memory of an answer back.
///
/// # Safety
/// `answer` is what `freeboard_check` returned, `length` that of the text in it, and it is used no
/// more.
#[unsafe(no_mangle)] // no other symbol has this name
pub unsafe extern "C" fn freeboard_free(answer: *mut u8, length: usize) {
    // SAFETY: by the caller's word this is the boxed slice that `freeboard_check` has leaked.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, length + 4)) });
}
