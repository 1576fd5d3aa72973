/** A text of the address that narrows a list: it counts when Enter is pressed, or when the field is left or cleared. */

import { useEffect, useRef } from "react";
import { changeParameters } from "../routing/location";

export function FilterField({ label, name, value }: { label: string; name: string; value: string }) {
  const apply = (text: string): void => changeParameters({ [name]: text.trim() || null });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = value; // back and links change the address, too
  }, [value]);
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={`${label}, Enter`}
      defaultValue={value}
      onBlur={(event) => apply(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget.value)}
      onChange={(event) => event.target.value === "" && apply("")}
    />
  );
}
