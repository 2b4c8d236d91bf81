//! Capacities of buffers as data places: the free room.

use super::{BufferId, DataChange, DataId, DataPlace, Direction, System, Transition, TransitionId};

impl System {
    /// Limits a buffer to this many messages: adds the [place of its free
    /// room](DataPlace::room_of), of which a sent message takes one, and a received one gives one
    /// back. In the counting interpretation the buffer then never holds more.
    ///
    /// Time linear in the system. An existing smaller limit stays.
    pub fn limit(&mut self, buffer: BufferId, size: u64) {
        if self.limit_of(buffer).is_some_and(|limit| limit <= size) {
            return;
        }
        let name = format!("room in {}", self.buffers[buffer].name);
        let known = self.data.iter().find(|(_, place)| place.room_of == Some(buffer)).map(|(id, _)| id);
        if let Some(place) = known {
            self.data[place].initial = size;
            return;
        }
        let place = self.data.push(DataPlace { room_of: Some(buffer), ..DataPlace::new(name, size) });
        let transitions: Vec<TransitionId> = self.transitions.ids().collect();
        for id in transitions {
            self.add_change(id, place, buffer);
        }
    }

    /// Removes the limit of a buffer. Its place stays, without changes.
    pub fn unlimit(&mut self, buffer: BufferId) {
        for place in self.data.ids().collect::<Vec<DataId>>() {
            if self.data[place].room_of == Some(buffer) {
                self.data[place].room_of = None;
                let transitions: Vec<TransitionId> = self.transitions.ids().collect();
                for id in transitions {
                    self.transitions[id].data.retain(|change| change.place != place);
                }
            }
        }
    }

    /// The capacity of a buffer, if it is limited.
    #[must_use]
    pub fn limit_of(&self, buffer: BufferId) -> Option<u64> {
        self.data.values().filter(|place| place.room_of == Some(buffer)).map(|place| place.initial).min()
    }

    /// The change of the free room of a buffer by a transition.
    #[must_use]
    pub fn change_of_room(&self, transition: &Transition, buffer: BufferId) -> i64 {
        let of_buffer =
            transition.events.iter().filter(|event| self.messages[event.message].buffer == buffer);
        let changes = of_buffer.map(|event| match event.direction {
            Direction::Send => -i64::from(event.count),
            Direction::Receive => i64::from(event.count),
        });
        changes.sum()
    }

    fn add_change(&mut self, id: TransitionId, place: DataId, buffer: BufferId) {
        let change = self.change_of_room(&self.transitions[id], buffer);
        if change != 0 {
            self.transitions[id].data.push(DataChange { place, change });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::system::SystemBuilder;

    #[test]
    fn a_send_takes_room_and_a_receive_gives_it_back() {
        let mut builder = SystemBuilder::new("queue");
        let message = builder.message("q", "m");
        builder.class("P", 1).send("a", message, "b").receive("b", message, "a");
        let mut system = builder.build().unwrap();
        let buffer = system.buffers.ids().next().unwrap();
        system.limit(buffer, 3);
        system.limit(buffer, 5);
        assert_eq!((system.data.len(), system.limit_of(buffer)), (1, Some(3)));
        let changes: Vec<i64> =
            system.transitions.values().map(|transition| transition.data[0].change).collect();
        assert_eq!(changes, [-1, 1]);
        assert!(system.validate().is_ok());
        // What is said to be the room is that.
        let first = system.transitions.ids().next().unwrap();
        system.transitions[first].data[0].change = 0;
        assert!(system.validate().is_err());
    }
}
