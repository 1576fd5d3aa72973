/** The name of a node: short, whole on hover, copied by a button. Text of events is inert, whatever it contains. */

import { useState } from "react";
import { contextOf, oneLine, shortName } from "../text/names";
import { Icon } from "./Icon";

export function Name({
  name,
  called,
  short = called ?? shortName(name),
  href,
  isContext = true,
}: {
  name: string;
  /** What people call it: its name in a catalogue comes first, and the whole name below it. */
  called?: string | undefined;
  short?: string | undefined;
  href?: string;
  isContext?: boolean;
}) {
  const context = isContext ? contextOf(name, short) : "";
  const text = (
    <>
      <bdi>{oneLine(short)}</bdi>
      {context && <bdi className="context">{oneLine(context)}</bdi>}
    </>
  );
  return href ? (
    <a className="name" href={href} title={oneLine(name)}>
      {text}
    </a>
  ) : (
    <span className="name" title={oneLine(name)}>
      {text}
    </span>
  );
}

/** The name of a dashboard or the like, which leads to its page if that is a safe address. */
export function OutsideName({ name, url }: { name: string; url?: string | null | undefined }) {
  const shown = <bdi>{oneLine(name)}</bdi>;
  return url && /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noreferrer" target="_blank" title={oneLine(url)}>
      {shown}
    </a>
  ) : (
    shown
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      className="quiet copy"
      title={label}
      aria-label={isCopied ? "Copied" : label}
      onClick={() => {
        void copyText(text).then(() => {
          setCopied(true);
          setTimeout(() => setCopied(false), 1500);
        });
      }}
    >
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
}

/** The clipboard of the browser, which only https and this machine have; elsewhere an older way. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
