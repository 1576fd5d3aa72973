package headwater.spark;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import scala.Option;

/**
 * Calls getters of Spark whose Scala types differ between versions.
 *
 * A getter that returns Seq has another descriptor in Scala 2.13, and errorMessage is new in Spark 3.4. A class that
 * called them directly would link with only one of the versions.
 */
final class Scala {
    private Scala() {}

    /** The value of a getter without parameters; null if the object has no such getter, or is null. */
    static Object get(Object object, String getter) {
        if (object == null) {
            return null;
        }
        try {
            Method method = object.getClass().getMethod(getter);
            method.setAccessible(true);
            return method.invoke(object);
        } catch (ReflectiveOperationException | RuntimeException absent) {
            return null;
        }
    }

    /** The members of a collection that a getter returns; none if there is no such getter. */
    static List<Object> list(Object object, String getter) {
        return listOf(get(object, getter));
    }

    /** The members of a collection of Scala, such as a Seq or an AttributeSet. */
    static List<Object> listOf(Object collection) {
        List<Object> members = new ArrayList<>();
        if (collection instanceof scala.collection.Iterable) {
            scala.collection.Iterator<?> iterator = ((scala.collection.Iterable<?>) collection).iterator();
            while (iterator.hasNext()) {
                members.add(iterator.next());
            }
        }
        return members;
    }

    /** The text in an Option of a getter; empty if there is none. */
    static String text(Object object, String getter) {
        Object option = get(object, getter);
        Object value = option instanceof Option && ((Option<?>) option).isDefined() ? ((Option<?>) option).get() : "";
        return String.valueOf(value);
    }

    /** Whether an object is of a class or interface with this simple name. */
    static boolean is(Object object, String name) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getSimpleName().equals(name) || isOneOf(type.getInterfaces(), name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOneOf(Class<?>[] interfaces, String name) {
        for (Class<?> each : interfaces) {
            if (each.getSimpleName().equals(name) || isOneOf(each.getInterfaces(), name)) {
                return true;
            }
        }
        return false;
    }
}
