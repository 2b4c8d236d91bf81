//! Encodes states as byte strings, which are stored and compared as a whole.
//!
//! Most cells are small: values from 0 to 253 take one byte, other 16-bit values three, all others
//! five. The type of a process and its location are encoded as one number, in as many bytes as the
//! program needs. Whatever follows from the process types (where cells begin, which queues exist)
//! is not encoded.

use cfsm_core::ids::Id;
use cfsm_core::program::ProcessTypeId;

use crate::code::Init;
use crate::semantics::Semantics;
use crate::state::{HEADER, QueueState, State};

const SHORT: u8 = 254;
const LONG: u8 = 255;

impl Semantics {
    /// Appends the encoding of a state to `bytes`.
    pub(crate) fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        self.encode_frame(state, bytes);
        self.encode_contents(state, bytes);
    }

    /// Appends the contents of the queues, which follow control and data.
    pub(crate) fn encode_contents(&self, state: &State, bytes: &mut Vec<u8>) {
        for queue in &state.queues {
            put(bytes, i32::try_from(queue.length).unwrap_or(i32::MAX));
        }
        state.messages.iter().for_each(|cell| put(bytes, *cell));
    }

    /// Appends the control part of a state: the process that holds control, and type and location
    /// of each process.
    pub(crate) fn encode_control(&self, state: &State, bytes: &mut Vec<u8>) {
        put(bytes, state.held.map_or(0, |process| i32::from(process) + 1));
        for process in 0..state.process_count() {
            put(bytes, i32::try_from(state.type_of(process).index()).unwrap_or(i32::MAX));
            put(bytes, i32::try_from(state.location_of(process).index()).unwrap_or(i32::MAX));
        }
    }

    /// Appends control and data of a state, without the contents of queues.
    pub(crate) fn encode_frame(&self, state: &State, bytes: &mut Vec<u8>) {
        put(bytes, state.held.map_or(0, |process| i32::from(process) + 1));
        if self.has_last {
            put(bytes, state.last.into());
        }
        put(bytes, i32::try_from(state.frames.len()).unwrap_or(i32::MAX));
        let globals = self.global_cells as usize;
        state.cells[..globals].iter().for_each(|cell| put(bytes, *cell));
        let ends = state.frames.iter().skip(1).copied();
        let ends = ends.map(|end| end as usize).chain([state.cells.len()]);
        for (first, end) in state.frames.iter().zip(ends) {
            let first = *first as usize;
            self.places.put(bytes, state.cells[first], state.cells[first + 1]);
            if self.has_priorities {
                put(bytes, state.cells[first + 2]);
            }
            state.cells[first + HEADER as usize..end].iter().for_each(|cell| put(bytes, *cell));
        }
    }

    /// Decodes what [`encode`](Self::encode) wrote into `state`, reusing its storage.
    pub(crate) fn decode(&self, bytes: &[u8], state: &mut State) {
        let mut from = Reader { bytes, at: 0 };
        state.held = u16::try_from(from.get() - 1).ok();
        state.last = if self.has_last { u16::try_from(from.get()).unwrap_or_default() } else { 0 };
        let count = from.get();
        state.cells.clear();
        state.frames.clear();
        state.queues.clear();
        state.messages.clear();
        state.cells.extend((0..self.global_cells).map(|_| from.get()));
        for global in &self.global_order {
            push_queues(state, &self.globals[*global].init, self.globals[*global].length, None);
        }
        for process in 0..count {
            let (ty, location) = self.places.get(&mut from);
            let code = &self.types[ty];
            let priority = if self.has_priorities { from.get() } else { 1 };
            state.push_process(ProcessTypeId::new(ty), code.entry, priority, 0);
            let cell = state.cells.len() - 2;
            state.cells[cell] = location;
            state.cells.extend((0..code.cells).map(|_| from.get()));
            for local in &code.locals {
                push_queues(state, &local.init, local.length, u16::try_from(process).ok());
            }
        }
        let mut first = 0;
        for at in 0..state.queues.len() {
            let length = u32::try_from(from.get()).unwrap_or_default();
            let width = u32::try_from(self.code_at(state, at).fields.len()).unwrap_or_default();
            let queue = &mut state.queues[at];
            (queue.first, queue.length) = (first, length);
            first += length * width;
        }
        state.messages.extend((0..first).map(|_| from.get()));
    }
}

/// Numbering of all pairs of a process type and one of its locations, type by type.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The number of each type's first location.
    firsts: Vec<u32>,
    /// Number of bytes in which a number is encoded.
    width: usize,
}

impl Places {
    /// The numbering for types with these numbers of locations; `None` if they exceed 32 bits.
    pub(crate) fn new(locations: impl Iterator<Item = usize>) -> Option<Self> {
        let mut next = 0_u32;
        let mut firsts = Vec::new();
        for count in locations {
            firsts.push(next);
            next = next.checked_add(u32::try_from(count).ok()?)?;
        }
        let width = match next {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        Some(Self { firsts, width })
    }

    #[inline]
    fn put(&self, bytes: &mut Vec<u8>, ty: i32, location: i32) {
        let first = usize::try_from(ty).map_or(0, |ty| self.firsts[ty]);
        let number = first + location.cast_unsigned();
        bytes.extend_from_slice(&number.to_le_bytes()[..self.width]);
    }

    #[inline]
    fn get(&self, from: &mut Reader) -> (usize, i32) {
        let mut number = [0; 4];
        number[..self.width].iter_mut().for_each(|byte| *byte = from.byte());
        let number = u32::from_le_bytes(number);
        let ty = self.firsts.partition_point(|first| *first <= number) - 1;
        (ty, (number - self.firsts[ty]).cast_signed())
    }
}

/// Appends the queues of a variable, in the order of their creation.
fn push_queues(state: &mut State, init: &Init, length: u32, owner: Option<u16>) {
    if let Init::Queues(first) = init {
        let codes = (*first..first + length).filter_map(|code| u16::try_from(code).ok());
        state.queues.extend(codes.map(|code| QueueState::new(code, owner, 0)));
    }
}

#[inline]
fn put(bytes: &mut Vec<u8>, value: i32) {
    match u8::try_from(value) {
        Ok(small) if small < SHORT => bytes.push(small),
        _ => match i16::try_from(value) {
            Ok(short) => {
                let [a, b] = short.to_le_bytes();
                bytes.extend([SHORT, a, b]);
            }
            Err(_) => {
                bytes.push(LONG);
                bytes.extend(value.to_le_bytes());
            }
        },
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    #[inline]
    fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }

    #[inline]
    fn get(&mut self) -> i32 {
        match self.byte() {
            SHORT => i16::from_le_bytes([self.byte(), self.byte()]).into(),
            LONG => i32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
            small => small.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back() {
        let values = [0, 1, 253, 254, 255, 256, -1, 32_767, 32_768, -32_768, -32_769, i32::MAX, i32::MIN];
        let mut bytes = Vec::new();
        values.iter().for_each(|value| put(&mut bytes, *value));
        let mut reader = Reader { bytes: &bytes, at: 0 };
        assert_eq!(values.map(|_| reader.get()), values);
        assert_eq!(reader.at, bytes.len());
    }

    #[test]
    fn every_place_comes_back() {
        for (counts, width) in [([3, 250, 3], 1), ([3, 251, 3], 2), ([1, 65_534, 1], 2), ([1, 65_535, 1], 4)]
        {
            let places = Places::new(counts.into_iter()).expect("few enough");
            assert_eq!(places.width, width);
            for (ty, count) in (0..).zip(counts) {
                for location in [0, count / 2, count - 1].map(|at| i32::try_from(at).unwrap_or_default()) {
                    let mut bytes = Vec::new();
                    places.put(&mut bytes, ty, location);
                    assert_eq!(bytes.len(), width);
                    let found = places.get(&mut Reader { bytes: &bytes, at: 0 });
                    assert_eq!((i32::try_from(found.0), found.1), (Ok(ty), location));
                }
            }
        }
        assert!(Places::new([u32::MAX as usize, 1].into_iter()).is_none());
    }
}
